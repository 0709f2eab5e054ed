import { Command } from '../command.ts';

export function doctorCommand(done: (exitCode: number) => void): Command {
  return new Command('doctor')
    .argument('[config]', 'configuration whose needs are checked; default: ./coa.yaml where there is one')
    .option('--json', 'print it as JSON')
    .examples(['coa-distill doctor coa.yaml', 'exit 1 when something it needs is missing'])
    .action(async (config: string | undefined, options: { json?: true }) => {
      const { runDoctor } = await import('../doctor/runDoctor.ts');
      done(await runDoctor(config, options.json === true));
    });
}
