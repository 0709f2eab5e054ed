import { Command } from '../command.ts';
import { wholeNumber } from '../optionParsers.ts';

/** `coa-distill rl`: reinforcement learning with tools. */
export function rlCommand(): Command {
  return new Command('rl').addCommand(checkCommand());
}

function checkCommand(): Command {
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
    .runs(async () => (await import('../rlCheck/checkRl.ts')).checkRl);
}
