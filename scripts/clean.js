// A build starts from nothing, so that a file renamed in src/ cannot live on in dist/.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
