import { dailyStatistics } from '../../service/endpoints.js';

export async function pullVolumes({ service, wanted }, { landing, load, report }) {
  for (const day of wanted('volumes')) {
    const days = { start: day, end: day };
    const { verdict, body } = await service.ask(dailyStatistics(service.projectId, days));
    if (verdict.kind === 'ok') {
      const writer = landing.begin('volumes', days, landing.instant(service.clocks.landingTime()));
      await load([await writer.finish([await writer.land(body, verdict.envelope.elements)])]);
    } else report.gaps.push({ stream: 'volumes', days, reason: `E17 failed (${verdict.reason}).` });
  }
}
