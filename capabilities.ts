/**
 * Registers what rooms of capabilities add to a run: their sections of the configuration. Whatever reads a configuration
 * imports this first.
 *
 * @module
 */

import './evaluation/evaluationConfig.ts';
