import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Resources } from '../../base/resources.ts';
import type { PromiseFinding } from '../../contract/sandbox.ts';
import { openSandbox } from '../../pipeline/compose/lazySandbox.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { type CodeConfig, codeConfigSchema } from '../../schemas/config/tools/code.ts';
import { formatBytes } from '../format.ts';
import type { CheckRow, Finding } from './check.ts';

const OLDEST_NODE = 24;

export const nodeRow: CheckRow = {
  what: 'node',
  neededFor: 'everything',
  howToGet: 'install Node 24 or newer, or npm install node@24 beside coa-distill',
  look: () => ({
    ok: Number(process.versions.node.split('.')[0]) >= OLDEST_NODE,
    found: process.version,
  }),
};

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

/** Minimum free space; a thousand rows with their traces take about 200 MB. */
const MIN_FREE_BYTES = 1e9;

/** Free space on the disk of the working directory, which contains run folders. */
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

/**
 * Runs programs in the configured sandbox: one that must work, and attempts to break each promise. A broken promise
 * counts as missing unless the configuration accepts it.
 */
export const sandboxRow: CheckRow = {
  what: 'sandbox',
  neededFor: 'the code tool, and judging programs',
  // The error contains the remedy; this is the alternative.
  howToGet: 'as it says, or tools.code.allow_unsafe: true for the bundled examples',
  isRequired: (loaded) => loaded?.config.tools.code !== undefined,
  async look(loaded) {
    const code = loaded?.config.tools.code ?? codeConfigSchema.parse({});
    const required = loaded?.config.tools.code !== undefined;
    const findings = code.backend === 'pyodide' ? undefined : await examine(code);
    if (findings === undefined) return lookWhetherItRuns(code);
    const kept = findings.filter((finding) => finding.kept).length;
    return [
      {
        ok: true,
        found: `bubblewrap, isolates programs in ${kept} of ${findings.length} ways (--json lists them)`,
      },
      ...findings.map((finding) => promiseFinding(finding, code, required)),
    ];
  },
};

/** Undefined if programs cannot run, which `createSandbox` reports. */
async function examine(code: CodeConfig): Promise<PromiseFinding[] | undefined> {
  const { examineSandbox } = await import('../../tools/sandbox/createSandbox.ts');
  return examineSandbox(code);
}

function promiseFinding(
  { promise, kept, found }: PromiseFinding,
  { accept_weaknesses: accepted }: CodeConfig,
  required: boolean,
): Finding {
  const isAccepted = accepted.includes(promise);
  return {
    what: `sandbox ${promise}`,
    isPart: true,
    ok: kept,
    found: kept || !isAccepted ? found : `${found} (accepted)`,
    neededFor: 'untrusted programs',
    howToGet: `another machine or back end (docs/sandbox.md), or tools.code.accept_weaknesses: [${promise}]`,
    required: required && !isAccepted,
  };
}

async function lookWhetherItRuns(code: CodeConfig): Promise<Finding> {
  await using resources = new Resources();
  const sandbox = await openSandbox(code, { resources, log: () => {} });
  const found = `${sandbox.name}${sandbox.isolates ? '' : ' (does not isolate programs)'}`;
  return { ok: true, found };
}
