/**
 * coa-distill as a library: run configurations, read and check datasets, speak the Chain-of-Agents language, and put
 * stages, teachers and tools together. docs/library.md has an example of each symbol.
 *
 * @module
 */

import './capabilities.ts';

export { systemClock } from './base/systemClock.ts';
// Runs
export { UserError } from './base/userError.ts';
// Teachers
export type { ChatModel } from './contract/chatModel.ts';
// Writing datasets
export type { DatasetWriter } from './contract/datasetWriter.ts';
// Stages
export { RecordFailure } from './contract/errors.ts';
// Tools
export type { OwnCode } from './contract/ownCode.ts';
export type { Sandbox } from './contract/sandbox.ts';
export { dropRecord, emitRecord, type RecordStage, type StageOutcome } from './contract/stage.ts';
export type { StageName } from './contract/stageTable.ts';
export type { Teacher } from './contract/teacher.ts';
export type { Tokenizer } from './contract/tokenizer.ts';
export type { Tool } from './contract/tool.ts';
// Checks of datasets
export { type CheckFilesOptions, checkFiles } from './operations/checkFiles.ts';
export { openChatModel } from './operations/openChatModel.ts';
// Datasets and records
export { type OpenedDataset, openDataset } from './operations/openDataset.ts';
export { type RunConfigOptions, runConfig } from './operations/runConfig.ts';
export { createDatasetWriter } from './output/dataset/createDatasetWriter.ts';
export { loadTokenizer } from './output/tokenizers/loadTokenizer.ts';
export { type SessionObserver, silentObserver } from './pipeline/createSession.ts';
export type { RunResult } from './pipeline/executeRun.ts';
export { stageRecords } from './pipeline/run/stageInputs.ts';
export { judgeText } from './schemas/answers/judgeText.ts';
// The Chain-of-Agents language
export { checkGrammar, type GrammarFinding } from './schemas/coa/check.ts';
export { guessProfile } from './schemas/coa/guessProfile.ts';
export { type Block, serializeBlocks } from './schemas/coa/layout.ts';
export { type ParsedText, parseBlocks } from './schemas/coa/parse.ts';
export { type Profile, profileSchema, renderPrompt } from './schemas/coa/profile.ts';
export { createProfileRegistry, type ProfileRegistry } from './schemas/coa/profileRegistry.ts';
export { builtinProfile, builtinProfiles } from './schemas/coa/profiles/builtin.ts';
export { datasetConfigSchema } from './schemas/config/dataset.ts';
export { filtersConfigSchema } from './schemas/config/filters.ts';
export { judgeConfigSchema } from './schemas/config/judge.ts';
export { teacherConfigSchema } from './schemas/config/teacher.ts';
export { trainingConfigSchema } from './schemas/config/training.ts';
export type { Manifest } from './schemas/manifest.ts';
export { type Task, taskId, taskSchema } from './schemas/task.ts';
export { type Trace, traceSchema } from './schemas/trace.ts';
export { parseTrajectoryRow, trajectoryRow, trajectoryRowSchema } from './schemas/trainers/trajectoryRow.ts';
export { type Segment, type Trajectory, trajectorySchema } from './schemas/trajectory.ts';
export type { Verdict } from './schemas/verdict.ts';
export { createConvertStage } from './stages/convert/createConvertStage.ts';
export { createRolloutStage } from './stages/createRolloutStage.ts';
export {
  type BenchmarkQuestions,
  openBenchmarkQuestions,
} from './stages/dedup/benchmarkQuestions.ts';
export { createFilterStage } from './stages/filter/createFilterStage.ts';
export { createJudgeStage } from './stages/judge/createJudgeStage.ts';
export { judgeMath } from './stages/judge/math/judgeMath.ts';
export { createMultiAgentTeacher } from './teachers/multiAgent/createMultiAgentTeacher.ts';
export { loadScript } from './teachers/scripted/loadScript.ts';
export { type ScriptedServer, startScriptedServer } from './teachers/scripted/startScriptedServer.ts';
export { createCodeTool } from './tools/code/createCodeTool.ts';
export { createCustomTool } from './tools/custom/createCustomTool.ts';
export { createSandbox } from './tools/sandbox/createSandbox.ts';
export { buildPassageIndex } from './tools/wikiSearch/buildPassageIndex.ts';
export { createIndexRetriever } from './tools/wikiSearch/createIndexRetriever.ts';
export { createWikiSearchTool } from './tools/wikiSearch/createWikiSearchTool.ts';
