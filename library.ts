/**
 * coa-distill as a library: what programs import from `coa-distill`.
 *
 * @module
 */
export * from './schemas/ids.ts';
