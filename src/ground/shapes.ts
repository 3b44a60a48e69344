/** Shapes of values in the files of the data folder: the journal, manifests and the run lock. */
import { z } from 'zod';

export const wholeNumber = z.number().int().nonnegative();

/** An instant as ISO text. */
export const instant = z.iso.datetime().transform((text) => new Date(text));
