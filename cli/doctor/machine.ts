import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { formatBytes } from '../format.ts';
import type { CheckRow } from './check.ts';

const OLDEST_NODE = 24;

/** The Node that runs this. */
export const nodeRow: CheckRow = {
  what: 'node',
  neededFor: 'everything',
  howToGet: 'install Node 24 or newer, or npm install node@24 beside coa-distill',
  look: () => ({
    ok: Number(process.versions.node.split('.')[0]) >= OLDEST_NODE,
    found: process.version,
  }),
};

/** The Python that programs in the sandbox run with. */
export const pythonRow: CheckRow = {
  what: 'python3',
  neededFor: 'programs in the sandbox',
  howToGet: 'apt-get install python3',
  isRequired: (loaded) => {
    const code = loaded?.config.tools.code;
    return code !== undefined && code.backend !== 'pyodide';
  },
  async look() {
    const asked = promisify(execFile)('/usr/bin/python3', ['--version'], { env: {} });
    return asked.then(
      ({ stdout }) => ({ ok: true, found: stdout.trim() }),
      () => ({ ok: false, found: '/usr/bin/python3 does not run' }),
    );
  },
};

/** The tokenizer of the dataset. */
export const tokenizerRow: CheckRow = {
  what: 'tokenizer',
  neededFor: 'token counts, masks and the tokenized formats',
  howToGet: 'the default comes with the package; set dataset.tokenizer to qwen2.5 or to a tokenizer.json',
  async look(loaded) {
    const { loadTokenizer } = await import('../../output/tokenizers/loadTokenizer.ts');
    const tokenizer = await loadTokenizer(loaded?.config.dataset.tokenizer ?? BUNDLED_TOKENIZER);
    const found = `${tokenizer.name}, encoded by ${tokenizer.encoder}`;
    tokenizer.close();
    return { ok: true, found };
  },
};

/** Below this the disk is called short: a thousand rows with their traces take about 200 MB. */
const MIN_FREE_BYTES = 1e9;

/** The room on the disk of the working directory, where run folders go. */
export const diskRow: CheckRow = {
  what: 'disk',
  neededFor: 'run folders: traces and datasets',
  howToGet: 'free space, or set runs_dir to another disk',
  async look() {
    const { bavail, bsize } = await statfs(process.cwd());
    const free = bavail * bsize;
    return { ok: free >= MIN_FREE_BYTES, found: `${formatBytes(free)} free` };
  },
};
