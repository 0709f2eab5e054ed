import { Command } from '../command.ts';
import type { FetchCommandOptions } from '../fetchFromCommandLine.ts';

export function fetchCommand(): Command {
  return new Command('fetch')
    .argument('<address>', 'hf:[models/]OWNER/NAME[@REVISION][/FILE, folder or pattern]')
    .option(
      '--to <folder>',
      'copy the files there; default: the cache that the libraries of Hugging Face share',
    )
    .option('--json', 'print commit and files as JSON')
    .examples(
      ['coa-distill fetch hf:PersonalAILab/AFM-WebAgent-SFT-Dataset', 'all of it'],
      ["coa-distill fetch 'hf:open-r1/codeforces@main/data/*.parquet' --to tasks", 'some of it, to ./tasks'],
      ['coa-distill fetch hf:models/Qwen/Qwen2.5-1.5B-Instruct', 'a model to train'],
      ['HF_TOKEN=hf_... coa-distill fetch hf:gaia-benchmark/GAIA', 'where access is asked for'],
    )
    .action(async (address: string, options: FetchCommandOptions) => {
      const { fetchFromCommandLine } = await import('../fetchFromCommandLine.ts');
      await fetchFromCommandLine(address, options);
    });
}
