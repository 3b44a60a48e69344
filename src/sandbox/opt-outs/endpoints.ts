/** E12: 080 opt-outs. */
import type { Endpoint } from '../endpoint.js';
import type { Settings } from '../options.js';
import type { World } from '../world/plan.js';
import { OptOutList } from './opt-outs.js';

export function optOutEndpoints(settings: Settings, world: World): Endpoint[] {
  const list = new OptOutList(settings, world);
  const path = '^/projects/([^/]+)/messages/text-message/blockservice/recipients';
  const rest = { name: 'E12', family: 'opt-out', pageParameter: settings.pageParameters.E12.page } as const;
  return [
    {
      ...rest,
      method: 'POST',
      path: new RegExp(`${path}$`),
      hasBody: true,
      answer: (call) => list.register(call),
    },
    {
      ...rest,
      method: 'DELETE',
      path: new RegExp(`${path}/removes$`),
      hasBody: true,
      answer: (call) => list.remove(call),
    },
    {
      ...rest,
      method: 'GET',
      path: new RegExp(`${path}$`),
      hasBody: false,
      answer: (call) => list.list(call),
    },
  ];
}
