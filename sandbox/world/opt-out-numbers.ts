/** The 080 numbers that the shop has registered; the footers of its text messages say the first. */
export const MAIN_080 = '0800000000';
export const OPT_OUT_NUMBERS: readonly string[] = [MAIN_080, '0801234567'];
