/** Commands in help order, grouped by purpose, with arguments and implementation. */
export const commandTable = {
  Make: {
    'init [dir]': 'Write a commented coa.yaml, sample tasks, .env.example and completion for editors',
    'run [config]': 'Run a configuration, or resume one that was interrupted',
    'synthesize [config]': 'Make tasks from documents, each checked to have one answer; run reads them',
    'refilter <run>':
      "Filter a run's records again by other settings, into a run of its own; no model is asked",
    'forecast [config]': 'What a run will cost, take and keep, from what the tasks of an earlier run did',
    'import <format> <file...>': 'Make a run from traces or trajectories that other programs wrote',
    'export <run>': "Write a run's records in another system's format, or add formats to its dataset",
    'fetch <address>': "Bring a dataset or a model from Hugging Face's hub, verified",
    'push <run> <address>':
      "Push a run's dataset and its card to Hugging Face's hub, every file verified before",
  },
  Look: {
    'status [run]': 'How far a run is, or all runs: what became of the records at each stage, what was spent',
    'view [run_or_files...]':
      'Look at every record in the browser: search, why it ended, what is trained; also while it runs',
    'compare <run_a> <run_b>':
      'What enters and leaves the dataset from one run to another, and why; or which of two evaluations is ahead',
    'why <run_or_id> [id]': 'The whole story of a record, from its task to its row of the dataset',
    'show <run> [row]':
      'Print a whole trajectory, with what is trained told from the rest; or an agent profile',
    cache: 'The answers of models and tools that runs keep, so that none is paid for twice',
  },
  'Clean files': {
    'filter <file...>': 'Keep the rows of dataset files that the rules of the filter let through',
    'dedup <file...>': 'Keep one row of each cluster of exact and near duplicates in dataset files',
    'decontaminate <file...>': 'Leave out rows of dataset files whose question stands in a benchmark',
    'balance <file...>': 'Keep as many rows of each group of dataset files as quotas and caps allow',
    'check <path...>': 'Check rows of runs and files: grammar, tokens, loss masks; exit 1 on errors',
  },
  'Train and evaluate': {
    'train <run>':
      "Fine-tune a model on a run's dataset: plan the job, check it, start it, follow it to the end",
    'evaluate [config]':
      'Let a student, a team or a plain model solve benchmarks, and score it with intervals; measure judges',
  },
  Serve: {
    serve: 'Serve a scripted teacher, tools, an MCP server, or the environment of RL',
    tools: 'Call a tool, index a corpus',
  },
  Machines: {
    workers: 'Join the workers of a run, start workers on other machines, see what they do, let them end',
    'doctor [config]': 'What this machine has: each line says what it is needed for and how to get it',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export const commandNames: readonly string[] = Object.values(commandTable)
  .flatMap(Object.keys)
  .map((usage) => usage.split(' ')[0]!);
