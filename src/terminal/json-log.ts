/** The log for log collectors: writes each note, warning and error as one JSON object per line to standard error. */
import type { LogFields, Terminal } from './terminal.js';

export interface LogSource {
  readonly runId: string;
  readonly now: () => Date;
}

/** Returns the same terminal with messages as JSON; data on standard output is unchanged. */
export function jsonLog(
  terminal: Terminal,
  { runId, now }: LogSource,
  write: (line: string) => void,
): Terminal {
  let doing = '';
  const log = (level: 'info' | 'warning' | 'error', message: string, fields: LogFields = {}): void => {
    const { event = level === 'info' ? 'note' : level, ...rest } = fields;
    const line = { time: now().toISOString(), run_id: runId, level, event, message: message.trim(), ...rest };
    write(`${JSON.stringify(line)}\n`);
  };
  return {
    interactive: false,
    color: false,
    out: (text) => {
      terminal.out(text);
    },
    draw: (text) => {
      terminal.draw(text);
    },
    note: (text, fields) => {
      log('info', text, fields);
    },
    warn: (text, fields) => {
      log('warning', text, fields);
    },
    error: (text) => {
      log('error', text);
    },
    record: (text, fields) => {
      log('info', text, fields);
    },
    get doing() {
      return doing;
    },
    progress(text) {
      if (text !== '') doing = text;
    },
    confirm: () => Promise.resolve(false),
    questions: () => undefined,
  };
}
