import type { Command } from '../command.ts';
import { gathered } from '../optionParsers.ts';
import type { DecontaminateFilesOptions } from '../standalone/decontaminateFiles.ts';
import { questionsCommand, withRowOptions } from '../standalone/rowOptions.ts';

export function decontaminateCommandLine(): Command {
  const command = questionsCommand('decontaminate').option(
    '--against <path>',
    'a benchmark: a file of rows, a folder of such or a pattern; may be repeated',
    gathered,
  );
  return withRowOptions(command)
    .examples(
      ['coa-distill decontaminate sft.json --against math500.jsonl --out clean.json', ''],
      ['coa-distill decontaminate tasks.parquet --against benchmarks/ --column prompt --out clean.jsonl', ''],
      ['cat sft.jsonl | coa-distill decontaminate - --against aime.jsonl --out - --ledger hits.jsonl', ''],
    )
    .action(async (files: string[], options: DecontaminateFilesOptions) => {
      const { decontaminateFiles } = await import('../standalone/decontaminateFiles.ts');
      await decontaminateFiles(files, options);
    });
}
