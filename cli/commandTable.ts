import type { Command } from './command.ts';

/** A command as the program's help shows it; the rest of it is loaded when it is called. */
export interface CommandRow {
  /** Its name, and what it takes. */
  readonly usage: string;
  readonly description: string;
  /** @param done takes its exit code */
  load(done: (code: number) => void): Promise<Command>;
}

/** The commands in the order of the program's help. */
export const commandTable: readonly CommandRow[] = [
  {
    usage: 'init [dir]',
    description: 'Write a commented coa.yaml, sample tasks, .env.example and completion for editors',
    load: async () => (await import('./commands/init.ts')).initCommand(),
  },
  {
    usage: 'run [config]',
    description: 'Run a configuration, or resume one that was interrupted',
    load: async (done) => (await import('./commands/run.ts')).runCommand(done),
  },
  {
    usage: 'work [url]',
    description: 'Work on the tasks of runs that other machines coordinate through a PostgreSQL database',
    load: async () => (await import('./commands/work.ts')).workCommand(),
  },
  {
    usage: 'workers',
    description: 'Start workers on other machines, see what they do, let them end',
    load: async () => (await import('./commands/workers.ts')).workersCommand(),
  },
  {
    usage: 'forecast [config]',
    description: 'What a run will cost, take and keep, from what the tasks of an earlier run did',
    load: async () => (await import('./commands/forecast.ts')).forecastCommand(),
  },
  {
    usage: 'runs',
    description: 'The runs under runs/: state, rows, cost and age, the last one first',
    load: async () => (await import('./commands/runs.ts')).runsCommand(),
  },
  {
    usage: 'status <run>',
    description: 'How far a run is: what became of the records at each stage, what was spent',
    load: async (done) => (await import('./commands/status.ts')).statusCommand(done),
  },
  {
    usage: 'view [run_or_files...]',
    description:
      'Look at every record in the browser: search, why it ended, what is trained; also while it runs',
    load: async (done) => (await import('./commands/view.ts')).viewCommand(done),
  },
  {
    usage: 'report <run>',
    description: 'Write report.html of a run: one file that needs no network',
    load: async () => (await import('./commands/report.ts')).reportCommand(),
  },
  {
    usage: 'compare <run_a> <run_b>',
    description: 'What enters and what leaves the dataset from one run to another, and why',
    load: async () => (await import('./commands/compare.ts')).compareCommand(),
  },
  {
    usage: 'why <run_or_id> [id]',
    description: 'The whole story of a record, from its task to its row of the dataset',
    load: async () => (await import('./commands/why.ts')).whyCommand(),
  },
  {
    usage: 'cache',
    description: 'The answers of models and tools that runs keep, so that none is paid for twice',
    load: async () => (await import('./commands/cache.ts')).cacheCommand(),
  },
  {
    usage: 'import <format> <file...>',
    description: 'Make a run from traces or trajectories that other programs wrote',
    load: async (done) => (await import('./commands/import.ts')).importCommand(done),
  },
  {
    usage: 'export <run>',
    description: "Write a run's records in another system's format, or add formats to its dataset",
    load: async () => (await import('./commands/export.ts')).exportCommand(),
  },
  {
    usage: 'fetch <address>',
    description: "Bring a dataset or a model from Hugging Face's hub, verified; what was cut off is resumed",
    load: async () => (await import('./commands/fetch.ts')).fetchCommand(),
  },
  {
    usage: 'push <run> <address>',
    description: "Push a run's dataset and its card to Hugging Face's hub, every file verified before",
    load: async () => (await import('./commands/push.ts')).pushCommand(),
  },
  {
    usage: 'filter <what...>',
    description: "Filter a run's records again by other settings, or filter the rows of dataset files",
    load: async (done) => (await import('./commands/filter.ts')).filterCommandLine(done),
  },
  {
    usage: 'dedup <file...>',
    description: 'Keep one row of each cluster of exact and near duplicates in dataset files',
    load: async () => (await import('./commands/dedup.ts')).dedupCommandLine(),
  },
  {
    usage: 'decontaminate <file...>',
    description: 'Leave out rows of dataset files whose question stands in a benchmark',
    load: async () => (await import('./commands/decontaminate.ts')).decontaminateCommandLine(),
  },
  {
    usage: 'balance <file...>',
    description: 'Keep as many rows of each group of dataset files as quotas and caps allow',
    load: async () => (await import('./commands/balance.ts')).balanceCommandLine(),
  },
  {
    usage: 'train <run>',
    description:
      "Fine-tune a model on a run's dataset: plan the job, check it, start it, follow it to the end",
    load: async (done) => (await import('./commands/train.ts')).trainCommand(done),
  },
  {
    usage: 'rl',
    description: 'Reinforcement learning with tools: the environment that agent loops ask',
    load: async (done) => (await import('./commands/rl.ts')).rlCommand(done),
  },
  {
    usage: 'evaluate [config]',
    description: 'Let a student, a team or a plain model solve benchmarks, and score it with intervals',
    load: async (done) => (await import('./commands/evaluate.ts')).evaluateCommand(done),
  },
  {
    usage: 'judge',
    description: 'Judges of answers',
    load: async () => (await import('./commands/judge.ts')).judgeCommand(),
  },
  {
    usage: 'lint <path...>',
    description: 'Check Chain-of-Agents rows in files; exit 1 on errors',
    load: async (done) => (await import('./commands/lint.ts')).lintCommand(done),
  },
  {
    usage: 'audit <dataset>',
    description: 'Recompute the loss masks of a dataset by a second path; exit 1 on any difference',
    load: async (done) => (await import('./commands/audit.ts')).auditCommand(done),
  },
  {
    usage: 'grammar [name]',
    description: "Print an agent profile's grammar: its tags, who writes them, what may follow what",
    load: async () => (await import('./commands/grammar.ts')).grammarCommand(),
  },
  {
    usage: 'teacher',
    description: 'The scripted teacher as a server of its own',
    load: async (done) => (await import('./commands/teacher.ts')).teacherCommand(done),
  },
  {
    usage: 'tools',
    description: 'The tools that agents call',
    load: async (done) => (await import('./commands/tools.ts')).toolsCommand(done),
  },
  {
    usage: 'doctor [config]',
    description: 'What this machine has: each line says what it is needed for and how to get it',
    load: async (done) => (await import('./commands/doctor.ts')).doctorCommand(done),
  },
];
