import { Command } from '../command.ts';
import { portNumber, wholeNumber } from '../optionParsers.ts';
import type { ServeOptions } from '../serveTeacher.ts';

export function teacherCommand(done: (exitCode: number) => void): Command {
  const serve = new Command('serve')
    .description('Serve a scripted teacher as an OpenAI-compatible endpoint on the loopback, until Ctrl-C')
    .option('--script <file>', 'play a script (JSONL)')
    .option('--answer-key <file>', 'play the known answers of a configuration (.yaml) or of a task file')
    .option('--profile <name>', 'agent profile of the task file')
    .option('--preset <name>', 'column layout of the task file')
    .option('--port <port>', 'port; 0 takes a free one', portNumber, 0)
    .option('--latency-ms <n>', 'wait before each answer', wholeNumber(0), 0)
    .option('--faults <spec>', 'faults to play, for instance 429=0.1,500=0.05')
    .option('--request-log <file>', 'write each request to a JSONL file')
    .examples(
      ['coa-distill teacher serve --answer-key coa.yaml --port 8000', 'then run with --base-url'],
      ['coa-distill teacher serve --script script.jsonl --latency-ms 200', 'a slow one'],
    )
    .action(async (options: ServeOptions) => {
      const { serveTeacher } = await import('../serveTeacher.ts');
      done(await serveTeacher(options));
    });
  return new Command('teacher').addCommand(serve);
}
