/**
 * Memory and speed of the part of `coa-distill synthesize` that asks no model: candidates are grown from the facts of a
 * generated world of 300 things, again and again with another seed, and all rules are asked about each:
 * `node bench/synthesis.bench.ts [CANDIDATES]`, default 100,000. `lives` is the heap after a collection; goal: flat.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createFactIndex } from '../synthesis/stages/form/factIndex.ts';
import { firstFinding } from '../synthesis/stages/rules/examined.ts';
import { formRules } from '../synthesis/stages/rules/formRules.ts';
import { grownTask } from '../test/support/synthesis/grownTasks.ts';
import { createWorld } from '../test/support/synthesis/world.ts';

const wanted = Number(process.argv[2] ?? 100_000);
const parts = 10;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const world = createWorld('sarrow');
const corpus = { index: createFactIndex(world.facts), documents: world.documents };
const facts = world.facts.filter(({ document }) => document.endsWith('.html'));

let [kept, begun] = [0, process.cpuUsage()];
for (let at = 1; at <= wanted; at++) {
  const task = grownTask(facts[at % facts.length]!, corpus, Math.floor(at / facts.length));
  if (task && !firstFinding(formRules, task, corpus)) kept++;
  if (at % Math.ceil(wanted / parts) !== 0) continue;
  const { user, system } = process.cpuUsage(begun);
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  const [lives, all] = [heapUsed, rss].map((bytes) => (bytes / 1e6).toFixed(1));
  const msEach = ((user + system) / 1000 / (wanted / parts)).toFixed(2);
  console.log(`${at} grown, ${kept} kept: lives ${lives} MB, RSS ${all} MB, ${msEach} CPU ms each`);
  begun = process.cpuUsage();
}
