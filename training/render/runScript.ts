import { shellWord } from '../../base/shellWord.ts';
import type { TrainerCommand } from '../../contract/trainer.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';

/** Start script of the trainer on one machine, run by every launcher. */
export const runScriptFile = 'run.sh';

/** Output of the trainer, both streams. */
export const consoleFile = 'console.log';

interface RunScript {
  readonly plan: TrainingPlan;
  /** Python of the trainer's environment; null: the caller's. */
  readonly python: string | null;
  readonly title: string;
  readonly command: TrainerCommand;
}

export function runScript({ plan, python, title, command }: RunScript): string {
  return [
    `#!/usr/bin/env bash
# Trains with ${title} on this machine: ${processesText(plan)}.
# Usage: bash ${runScriptFile}
# Environment: PYTHON, where the configuration names no Python of the trainer; CONSOLE_FILE, to which what is printed is
# appended too.${plan.nodes > 1 && command.torchrun ? ' RDZV_ENDPOINT, HOST:PORT where the machines meet; RDZV_ID, the same on all of them.' : ''}
set -euo pipefail
cd -- "$(dirname -- "\${BASH_SOURCE[0]}")"
`,
    `python=${python === null ? `"\${PYTHON:-python3}"` : shellWord(python)}
if [[ -n "\${CONSOLE_FILE:-}" ]]; then exec > >(tee -a -- "$CONSOLE_FILE") 2>&1; fi
`,
    command.preparation,
    ...(plan.nodes > 1 && command.torchrun ? [endpointIsGiven] : []),
    `exec ${['"$python"', ...startLines(plan, command)].join(' \\\n  ')}\n`,
  ].join('\n');
}

function processesText({ nodes, processes_per_node: processes, gpus_per_node: gpus }: TrainingPlan): string {
  const here = `${processes} process${processes === 1 ? '' : 'es'} on ${gpus === 0 ? 'the CPU' : `${gpus} GPU${gpus === 1 ? '' : 's'}`}`;
  return nodes === 1 ? here : `${here}, one of ${nodes} machines that do the same`;
}

function startLines(plan: TrainingPlan, { module, args, torchrun }: TrainerCommand): string[] {
  const [start, rest] = [`-m ${module}`, args.map(shellWord)];
  return torchrun ? ['-m torch.distributed.run', ...torchrunLines(plan), start, ...rest] : [start, ...rest];
}

function torchrunLines({ nodes, processes_per_node: processes }: TrainingPlan): string[] {
  const size = `--nnodes=${nodes} --nproc-per-node=${processes}`;
  if (nodes === 1) return [`--standalone ${size}`];
  return [size, `--rdzv-backend=c10d --rdzv-id="\${RDZV_ID:-coa-distill}" --rdzv-endpoint="$RDZV_ENDPOINT"`];
}

const endpointIsGiven = `: "\${RDZV_ENDPOINT:?set it to HOST:PORT, a free port of the first machine, on every machine}"\n`;
