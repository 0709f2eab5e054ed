import {
  type DatasetFormat,
  type DatasetTask,
  type FormatGuide,
  type FormatSettings,
  type TextFile,
  weightedCapabilities,
} from '../../output/dataset/datasetFormat.ts';
import { jsonPart } from '../../output/dataset/formats/formatParts.ts';
import { rlProgram } from './rlFiles.ts';

/**
 * `verifiers/`: Python package with an environment for Prime Intellect's verifiers, based on the environment server.
 */
export const verifiersFormat: DatasetFormat<'task'> = {
  name: 'verifiers',
  records: 'task',
  columns: ['task_id', 'profile', 'prompt'],
  readers: [],
  card: {
    opened: '`load_dataset("json", data_files=FOLDER + "/verifiers/*/train*.jsonl")`',
    trainer: 'prime-rl and evaluations by verifiers: tasks, no trajectories',
    mask: "the renderer: what is sampled, and no tool's words",
  },
  capabilities: weightedCapabilities,
  layoutOf: (settings) => ({
    parts: [jsonPart(rowOf, `verifiers/${moduleOf(settings)}/`)],
    guide: () => guideOf(settings),
  }),
};

/** Row without answers and tests, which only the environment server has. */
function rowOf({ task, system, user }: DatasetTask): object {
  const prompt = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
  return { task_id: task.id, profile: task.profile, prompt };
}

/** Name of the Python module; the environment's id is the same with dashes. */
function moduleOf({ name }: Pick<FormatSettings, 'name'>): string {
  return `coa_${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`;
}

function guideOf(settings: FormatSettings): FormatGuide {
  const module = moduleOf(settings);
  const id = module.replaceAll('_', '-');
  const program = (name: Parameters<typeof rlProgram>[0], what: string): TextFile => ({
    path: `verifiers/${module}/${name}`,
    text: rlProgram(name),
    what,
  });
  return {
    files: [
      { path: 'verifiers/pyproject.toml', text: projectOf(module, id), what: 'the package' },
      {
        path: `verifiers/${module}/__init__.py`,
        text: 'from .coa_verifiers import CoaEnv, CoaHarness, CoaTaskset\n\n__all__ = ["CoaEnv", "CoaHarness", "CoaTaskset"]\n',
        what: 'what verifiers looks for',
      },
      program('coa_verifiers.py', 'tasks, harness and reward, over the environment server'),
      program('coa_renderer.py', 'the text and the tokens that prime-rl samples and trains'),
      program('coa_loop.py', 'the client of the environment server'),
    ],
    others: { 'ledger.jsonl': 'what became of every task, and why' },
    start: startOf(module, id),
    beware: [
      'A rollout that fails after retries, or gets no verdict, is an error of its trace and has no reward: prime-rl leaves it out.',
      'A chat endpoint puts its markup between the steps, which a model that was trained on these rows has not seen. The renderer puts none: with it vLLM reads the text of the rows.',
      'The endpoint has to leave thoughts in the text: start vLLM without a reasoning parser.',
    ],
  };
}

function projectOf(module: string, id: string): string {
  return `[project]
name = "${id}"
version = "0.1.0"
description = "Chain-of-Agents tasks for verifiers, played with the tools and judged by the judges of coa-distill."
requires-python = ">=3.11,<3.14"
dependencies = ["verifiers>=0.4,<0.5", "aiohttp"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build]
ignore-vcs = true

[tool.hatch.build.targets.wheel]
packages = ["${module}"]
`;
}

function startOf(module: string, id: string): string {
  return `\`\`\`bash
pip install .                     # Python 3.11 to 3.13; brings verifiers
coa-distill serve rl RUN          # tools, judges and rewards; prints its address
COA_RL_URL=http://127.0.0.1:9100 vf-eval ${id} --model MODEL --client.base-url http://127.0.0.1:8000/v1 --no-push
\`\`\`

COA_RL_TOKEN is the server's token, where it wants one; \`--env.taskset.base-url\` names its address too, and
\`--env.taskset.split validation\` the other tasks. The reward is the score of \`/v1/score\`; its parts are the metrics
\`part_*\`. For a model of these rows add to \`vf-eval\`, against vLLM:
\`--client.type train --client.renderer.name custom --client.renderer.import-path ${module}.coa_renderer.CoaRenderer\`.

prime-rl:

\`\`\`toml
[[orchestrator.train.source]]
name = "${id}"
[orchestrator.train.source.env.taskset]
id = "${id}"

[orchestrator.renderer]
name = "custom"
import_path = "${module}.coa_renderer.CoaRenderer"
\`\`\``;
}
