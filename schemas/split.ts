import { z } from 'zod';

/** The parts of a dataset: rows to train on, and rows to measure the loss on. */
export const splitSchema = z.enum(['train', 'validation']);
export type Split = z.infer<typeof splitSchema>;
