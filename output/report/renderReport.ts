import type { ReportData } from '../../schemas/report.ts';
import { balanceSection, datasetSection, rolloutsSection, rowsSection } from './datasetSections.ts';
import { html } from './html.ts';
import { reportPage } from './reportPage.ts';
import { funnelSection, plantedSection, settingsSection, summarySection } from './runSections.ts';
import { trainingSection } from './trainingSection.ts';
import {
  examplesSection,
  retriesNote,
  rolesSection,
  toolsSection,
  trajectoriesSection,
} from './trajectorySections.ts';

/**
 * A run's report: one HTML file that needs no network and no script, and whose policy allows neither. Everything that
 * was read is escaped: trajectories hold whatever the web holds.
 */
export function renderReport(data: ReportData): string {
  return reportPage(
    data.run,
    html`${summarySection(data)}
${funnelSection(data)}
${plantedSection(data.planted)}
${balanceSection(data.balance)}
${rowsSection(data.rows)}
${rolloutsSection(data.manifest?.rollouts)}
${rolesSection(data.roles)}
${toolsSection(data.tools)}
${retriesNote(data.retries)}
${examplesSection(data)}
${trajectoriesSection(data)}
${datasetSection(data.manifest)}
${trainingSection(data.jobs)}
${settingsSection(data)}
<footer>Every record, with search: <code>coa-distill view ${data.run}</code> · Configuration <code>${data.config_hash}</code></footer>`,
  );
}
