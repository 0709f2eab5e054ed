/**
 * Properties draw the same cases in each run, so that two runs of the same tree say the same; COA_SEED draws others.
 * A property that names its own seed keeps it.
 */
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.COA_SEED ?? 1) });
