/** The flags that every command takes. */

/** How notes and warnings are written: for people, for people with the time of each line, or for log collectors. */
export const LOG_FORMATS = ['text', 'timed', 'json'] as const;

export interface Flags {
  readonly settingsFile?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly verbose?: boolean | undefined;
  readonly logFormat?: (typeof LOG_FORMATS)[number] | undefined;
  readonly quiet?: boolean | undefined;
}
