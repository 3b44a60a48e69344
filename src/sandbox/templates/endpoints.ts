/** E3 to E6, E10 and E11: templates of brand messages and alimtalk. */
import type { Endpoint } from '../endpoint.js';
import { decoded } from '../paths.js';
import type { Settings } from '../options.js';
import { AlimtalkTemplates } from './alimtalk-templates.js';
import { BrandTemplates } from './brand-templates.js';
import { Images } from './images.js';

/** A carousel of many large images. */
const UPLOAD_BYTES = 64 * 1024 * 1024;

export function templateEndpoints(settings: Settings): Endpoint[] {
  const images = new Images();
  const brand = new BrandTemplates(settings, images);
  const alimtalk = new AlimtalkTemplates(settings);
  const { messenger, pageParameters } = settings;
  const brandPath = `^/v1/projects/([^/]+)/messages/${messenger}-brand-message`;
  const alimtalkPath = `^/projects/([^/]+)/messages/${messenger}-alimtalk/templates`;
  return [
    {
      name: 'E3',
      method: 'POST',
      path: new RegExp(`${brandPath}/templates$`),
      family: 'brand-message',
      hasBody: true,
      answer: (call) => brand.create(call),
    },
    {
      name: 'E4',
      method: 'GET',
      path: new RegExp(`${brandPath}/templates$`),
      family: 'brand-message',
      hasBody: false,
      pageParameter: pageParameters.E4.page,
      answer: (call) => brand.list(call),
    },
    {
      name: 'E5',
      method: 'GET',
      path: new RegExp(`${brandPath}/templates/([^/]+)$`),
      family: 'brand-message',
      hasBody: false,
      answer: (call) => brand.get(decoded(call.values[0] ?? ''), call),
    },
    {
      name: 'E6',
      method: 'POST',
      path: new RegExp(`${brandPath}/images$`),
      family: 'brand-message',
      hasBody: false,
      bodyBytes: UPLOAD_BYTES,
      answer: (call) => images.upload(call),
    },
    {
      name: 'E10',
      method: 'GET',
      path: new RegExp(`${alimtalkPath}$`),
      family: 'alimtalk',
      hasBody: false,
      pageParameter: pageParameters.E10.page,
      answer: (call) => alimtalk.list(call),
    },
    {
      name: 'E11',
      method: 'DELETE',
      path: new RegExp(`${alimtalkPath}/([^/]+)$`),
      family: 'alimtalk',
      hasBody: false,
      answer: ({ values: [code = ''] }) => alimtalk.delete(decoded(code)),
    },
  ];
}
