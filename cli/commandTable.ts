/** A command as the program's help shows it. */
interface CommandRow {
  /** Its name, and what it takes. */
  readonly usage: string;
  readonly description: string;
}

/** The commands in the order of the program's help, by what they are for. */
export const commandTable = {
  Make: [
    {
      usage: 'init [dir]',
      description: 'Write a commented coa.yaml, sample tasks, .env.example and completion for editors',
    },
    {
      usage: 'run [config]',
      description: 'Run a configuration, or resume one that was interrupted',
    },
    {
      usage: 'forecast [config]',
      description: 'What a run will cost, take and keep, from what the tasks of an earlier run did',
    },
    {
      usage: 'import <format> <file...>',
      description: 'Make a run from traces or trajectories that other programs wrote',
    },
    {
      usage: 'export <run>',
      description: "Write a run's records in another system's format, or add formats to its dataset",
    },
    {
      usage: 'fetch <address>',
      description:
        "Bring a dataset or a model from Hugging Face's hub, verified; what was cut off is resumed",
    },
    {
      usage: 'push <run> <address>',
      description: "Push a run's dataset and its card to Hugging Face's hub, every file verified before",
    },
  ],
  Look: [
    {
      usage: 'status [run]',
      description: 'How far a run is, or all runs: what became of the records at each stage, what was spent',
    },
    {
      usage: 'view [run_or_files...]',
      description:
        'Look at every record in the browser: search, why it ended, what is trained; also while it runs',
    },
    {
      usage: 'report <run>',
      description: 'Write report.html of a run: one file that needs no network',
    },
    {
      usage: 'compare <run_a> <run_b>',
      description: 'What enters and what leaves the dataset from one run to another, and why',
    },
    {
      usage: 'why <run_or_id> [id]',
      description: 'The whole story of a record, from its task to its row of the dataset',
    },
    {
      usage: 'show',
      description: 'Print an agent profile',
    },
    {
      usage: 'cache',
      description: 'The answers of models and tools that runs keep, so that none is paid for twice',
    },
  ],
  'Clean files': [
    {
      usage: 'filter <what...>',
      description: "Filter a run's records again by other settings, or filter the rows of dataset files",
    },
    {
      usage: 'dedup <file...>',
      description: 'Keep one row of each cluster of exact and near duplicates in dataset files',
    },
    {
      usage: 'decontaminate <file...>',
      description: 'Leave out rows of dataset files whose question stands in a benchmark',
    },
    {
      usage: 'balance <file...>',
      description: 'Keep as many rows of each group of dataset files as quotas and caps allow',
    },
    {
      usage: 'lint <path...>',
      description: 'Check Chain-of-Agents rows in files; exit 1 on errors',
    },
    {
      usage: 'audit <dataset>',
      description: 'Recompute the loss masks of a dataset by a second path; exit 1 on any difference',
    },
  ],
  'Train and evaluate': [
    {
      usage: 'train <run>',
      description:
        "Fine-tune a model on a run's dataset: plan the job, check it, start it, follow it to the end",
    },
    {
      usage: 'rl',
      description: 'Reinforcement learning with tools: look at what would be trained',
    },
    {
      usage: 'evaluate [config]',
      description:
        'Let a student, a team or a plain model solve benchmarks, and score it with intervals; measure judges',
    },
  ],
  Serve: [
    {
      usage: 'serve',
      description: 'Serve a scripted teacher, tools, an MCP server, or the environment of RL',
    },
    {
      usage: 'tools',
      description: 'Call a tool, index a corpus',
    },
  ],
  Machines: [
    {
      usage: 'workers',
      description:
        'Join the workers of a run, start workers on other machines, see what they do, let them end',
    },
    {
      usage: 'doctor [config]',
      description: 'What this machine has: each line says what it is needed for and how to get it',
    },
  ],
} as const satisfies Readonly<Record<string, readonly CommandRow[]>>;

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;

/** The name of a command. */
export type CommandName = FirstWord<(typeof commandTable)[keyof typeof commandTable][number]['usage']>;

/** The names of all commands. */
export const commandNames: readonly string[] = Object.values(commandTable)
  .flat()
  .map(({ usage }) => usage.split(' ')[0]!);

/** What commands were called in version 0.2 and what they are called now; they go with the next version. */
export const formerNames: Readonly<Record<string, string>> = {
  work: 'workers join',
  runs: 'status',
  grammar: 'show profile',
  'judge calibrate': 'evaluate judge',
  'teacher serve': 'serve teacher',
  'tools serve': 'serve tools',
  'tools mcp': 'serve mcp',
  'rl serve': 'serve rl',
};
