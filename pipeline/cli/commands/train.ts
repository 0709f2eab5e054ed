import { Command } from 'commander';
import { examples } from '../examples.ts';

/** `coa-distill train RUN`. */
export function trainCommand(): Command {
  return new Command('train')
    .description('Render the fine-tuning job of a run: readable files that can be launched by hand')
    .argument('<run>', 'name under runs/, or the run folder')
    .option('--model <path>', "model name or folder; default: the configuration's training.model")
    .option('--job <name>', 'folder under train/ in the run folder', 'sft')
    .option('--json', 'print the files as JSON')
    .addHelpText(
      'after',
      examples([
        ['coa-distill train quickstart --model Qwen/Qwen2.5-3B-Instruct', 'into runs/quickstart/train/sft/'],
      ]),
    )
    .action(async (name: string, options: { model?: string; job: string; json?: true }) => {
      const { renderTrain } = await import('../renderTrain.ts');
      await renderTrain(name, options);
    });
}
