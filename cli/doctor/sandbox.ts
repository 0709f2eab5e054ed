import { Resources } from '../../base/resources.ts';
import type { PromiseFinding } from '../../contract/sandbox.ts';
import { openSandbox } from '../../pipeline/compose/lazySandbox.ts';
import { type CodeConfig, codeConfigSchema } from '../../schemas/config/tools/code.ts';
import type { CheckRow, Finding } from './check.ts';

/**
 * Runs programs in the sandbox that the configuration asks for: one that must work, and those that try to break each
 * promise. A promise that is not kept is missing unless the configuration accepts it.
 */
export const sandboxRow: CheckRow = {
  what: 'sandbox',
  neededFor: 'the code tool, and judging programs',
  // What is wrong says what to do; this is the way without it.
  howToGet: 'as it says, or tools.code.allow_unsafe: true for the bundled examples',
  isRequired: (loaded) => loaded?.config.tools.code !== undefined,
  async look(loaded) {
    const code = loaded?.config.tools.code ?? codeConfigSchema.parse({});
    const required = loaded?.config.tools.code !== undefined;
    const findings = code.backend === 'pyodide' ? undefined : await examine(code);
    if (findings === undefined) return lookWhetherItRuns(code);
    const name = code.backend === 'auto' ? 'bubblewrap' : code.backend;
    const kept = findings.filter((finding) => finding.kept).length;
    return [
      { ok: true, found: `${name}, keeps ${kept} of ${findings.length} promises` },
      ...findings.map((finding) => promiseFinding(finding, code, required)),
    ];
  },
};

/** Undefined where no program runs: what to say about that is `createSandbox`'s. */
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
    ok: kept,
    found: kept || !isAccepted ? found : `${found} (accepted)`,
    neededFor: 'programs that nobody trusts',
    howToGet: `another machine or back end (docs/sandbox.md), or tools.code.accept_weaknesses: [${promise}]`,
    required: required && !isAccepted,
  };
}

async function lookWhetherItRuns(code: CodeConfig): Promise<Finding> {
  const resources = new Resources();
  try {
    const sandbox = await openSandbox(code, { resources, log: () => {} });
    const found = `${sandbox.name}${sandbox.isolates ? '' : ' (does not isolate: it keeps no promise)'}`;
    return { ok: true, found };
  } finally {
    await resources.closeAll();
  }
}
