import { Option } from 'commander';
import { trainingPresetNames } from '../../schemas/training/presets.ts';
import { Command } from '../command.ts';
import { portNumber, wholeNumber } from '../optionParsers.ts';
import type { CheckRlOptions } from '../rlCheck/checkRl.ts';
import type { ServeRlOptions } from '../serveRl.ts';

/** `coa-distill rl`: reinforcement learning with tools. */
export function rlCommand(done: (exitCode: number) => void): Command {
  return new Command('rl').addCommand(serveCommand(done)).addCommand(checkCommand(done));
}

function serveCommand(done: (exitCode: number) => void): Command {
  return new Command('serve')
    .description('Serve tools, judges and rewards to the agent loops of RL trainers, until Ctrl-C')
    .argument('<what>', 'a run (name or folder), its dataset folder, or a configuration (.yaml) with tasks')
    .option('--config <file>', "tools, judges and rewards in place of the run's own")
    .addOption(
      new Option('--preset <name>', 'limits of a published run, as train --preset').choices(
        trainingPresetNames,
      ),
    )
    .option('--host <address>', 'address to listen at; default: rl.serve.host, or 127.0.0.1')
    .option('--port <number>', 'port, 0 takes a free one; default: rl.serve.port, or 9100', portNumber)
    .examples(
      ['coa-distill rl serve my-run', 'the tasks of a run, with its tools and judges'],
      ['COA_RL_TOKEN=... coa-distill rl serve coa.yaml --host 0.0.0.0', 'for nodes of a cluster'],
      ['coa-distill rl serve my-run --preset afm-mhqa-7b', 'with the limits of a published run'],
      ['curl http://127.0.0.1:9100/v1/status', 'what it did so far'],
    )
    .action(async (what: string, options: ServeRlOptions) => {
      const { serveRl } = await import('../serveRl.ts');
      done(await serveRl(what, options));
    });
}

function checkCommand(done: (exitCode: number) => void): Command {
  return new Command('check')
    .description(
      'Play a few tasks of an RL dataset on this machine, and print what would be trained, token by token',
    )
    .argument('<what>', 'a run (name or folder), or its dataset folder')
    .option('--model <path>', 'folder of the model to be trained, for its tokenizer; default: training.model')
    .option('--sample', 'let the model sample, on the CPU; default: a script calls a tool and then answers')
    .option('--tasks <n>', 'tasks to play', wholeNumber(1), 3)
    .option('--python <path>', "Python of the trainer's environment; default: training.python, or python3")
    .option('--config <file>', "tools, judges and rewards in place of the run's own")
    .option('--json', 'a line of JSON for each task')
    .examples(
      [
        'coa-distill rl check my-run --model models/sft --python .venv/bin/python',
        'before GPUs are paid for',
      ],
      ['coa-distill rl check my-run --model models/tiny --sample', 'what a small model does with the tools'],
    )
    .action(async (what: string, options: CheckRlOptions) => {
      const { checkRl } = await import('../rlCheck/checkRl.ts');
      done(await checkRl(what, options));
    });
}
