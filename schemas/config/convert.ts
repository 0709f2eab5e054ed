import { z } from 'zod';
import { keyOf } from './keyMeaning.ts';

const convertKey = keyOf('convert');

/** The `convert` section: conversion of a teacher's trace to a trajectory. */
export const convertConfigSchema = z.strictObject({
  thinking: convertKey(
    z.enum(['condensed', 'verbatim']).default('condensed'),
    "Words of thinking blocks; condensed: the role's own `think`; verbatim: all that its model reasoned in that call, or `think` where it did not",
  ),
  failed_calls: convertKey(
    z.enum(['leave_out', 'keep']).default('leave_out'),
    'Tool calls that failed; leave_out: they are left out, with thinking that led to nothing else; keep: the message of the failure is their observation',
  ),
});
export type ConvertConfig = z.infer<typeof convertConfigSchema>;

/** Defaults of the section. */
export const defaultConvertConfig: ConvertConfig = convertConfigSchema.parse({});
