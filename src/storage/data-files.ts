/** The files of a data folder that a run and its readers share. Pure. */
import { join } from 'node:path';
import { foldersOf } from './paths.js';

/** Paths in a data folder. */
export interface DataFiles {
  /** What analysts open. */
  readonly published: string;
  /** The page that people look at. */
  readonly report: string;
  /** What the run works on. */
  readonly working: string;
  /** What a rebuild works on, until it is complete. */
  readonly rebuilt: string;
  readonly temp: string;
  /** The folder of the ledger. */
  readonly ledger: string;
}

export function dataFiles(dataDir: string): DataFiles {
  const folders = foldersOf(dataDir);
  return {
    published: join(dataDir, 'warehouse.duckdb'),
    report: join(dataDir, 'report.html'),
    working: join(folders.private, 'warehouse.duckdb'),
    rebuilt: join(folders.private, 'warehouse.rebuilt.duckdb'),
    temp: join(folders.private, 'tmp'),
    ledger: folders.ledger,
  };
}
