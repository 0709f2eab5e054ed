/**
 * Registers what rooms of capabilities add to a run: sections of the configuration, stages, tasks of a dataset. Whatever reads a
 * configuration imports this first.
 *
 * @module
 */

import './evaluation/evaluationConfig.ts';
import './rl/registerRl.ts';
import './rl/rlConfig.ts';
import './rl/tasks/chooseTasks.ts';
import './synthesis/configRules.ts';
import './synthesis/openSynthesis.ts';
