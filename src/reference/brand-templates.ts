/** Reads the templates of brand messages (E4) and the status of each template (E5). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { brandTemplate, brandTemplates } from '../service/endpoints.js';
import { settleAll } from '../service/client.js';
import { type Envelope, repairedJson } from '../ground/envelope.js';
import type { BrandTemplateSettings } from '../config/schema.js';
import { templatesOf as templatesIn, type Page, type TemplateRead } from '../landing/landing-zone.js';
import {
  rowsOn,
  numbered,
  type ListSource,
  readLists,
  type ListsRead,
  type ListsReader,
} from './read-lists.js';

export interface TemplatesRead extends ListsRead {
  readonly templates: (TemplateRead & Page)[];
  /** The reasons for failed E5 requests, one sentence each; the next run asks again. */
  readonly problems: string[];
}

/** A template in a list, with a digest of its entry in the list. */
type Listed = Pick<TemplateRead, 'list' | 'templateId' | 'digest'>;

/**
 * Requests E4 for each sender key, then E5 for each template that is new, changed, or has an old status.
 *
 * @throws the errors of `readLists`
 */
export async function readBrandTemplates(
  settings: BrandTemplateSettings,
  reader: ListsReader,
): Promise<TemplatesRead> {
  const listed = new Map<string, Listed[]>();
  const read = await readLists(
    settings.senderKeys.map((senderKey) => templatesOf(senderKey, settings, reader, listed)),
    reader,
  );
  const wanted = read.lists.flatMap(({ list }) => listed.get(list) ?? []);
  const earlier = new Map(
    (reader.earlier ? templatesIn(reader.earlier) : []).map((before) => [templateKey(before), before]),
  );
  const failures: string[] = [];
  const templates = await settleAll(
    wanted.map((template) =>
      readTemplate(template, earlier.get(templateKey(template)), settings, reader, failures),
    ),
  );
  const problem = `E5 failed for ${failures.length} of ${wanted.length} templates (${failures[0] ?? ''}), so their status is that of before, or unknown. The next run asks again.`;
  return {
    ...read,
    templates: templates.filter((template) => template !== undefined),
    problems: failures.length === 0 ? [] : [problem],
  };
}

function templatesOf(
  senderKey: string,
  settings: BrandTemplateSettings,
  { projectId, messenger }: ListsReader,
  listed: Map<string, Listed[]>,
): ListSource {
  return {
    list: senderKey,
    what: `the brand templates of sender key ${senderKey}`,
    shape: { rows: [['data', 'templates']], total: ['data', 'totalCount'] },
    id: '/id',
    onPage(page, number) {
      const before = number === 0 ? [] : (listed.get(senderKey) ?? []);
      listed.set(senderKey, [...before, ...listedOn(senderKey, rowsOn(page))]);
    },
    paging: numbered('brand_templates', settings, (pages) =>
      brandTemplates(projectId, messenger, { senderKey, ...pages }),
    ),
  };
}

const identified = z.object({ id: z.string().min(1) });

function listedOn(list: string, rows: readonly unknown[]): Listed[] {
  return rows.flatMap((row) => {
    const template = identified.safeParse(row);
    if (!template.success) return [];
    const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex');
    return [{ list, templateId: template.data.id, digest }];
  });
}

/** Sender keys may contain any character, so the length of the first part separates it from the second part. */
function templateKey({ list, templateId }: Pick<Listed, 'list' | 'templateId'>): string {
  return `${list.length} ${list} ${templateId}`;
}

/** True if the load accepts the answer to E5. */
function isTemplate(envelope: Envelope, body: Buffer): boolean {
  return (
    envelope.kind === 'object' &&
    !envelope.twice.has('data') &&
    repairedJson(body.toString('utf8')) !== undefined
  );
}

/** Returns the template from an earlier pull, or the answer to E5; undefined, with a failure, if neither is available. */
async function readTemplate(
  template: Listed,
  before: (TemplateRead & Page) | undefined,
  { senderKeyParameter, senderKeyIn, recheckDays }: BrandTemplateSettings,
  { service, projectId, messenger, writer }: ListsReader,
  failures: string[],
): Promise<(TemplateRead & Page) | undefined> {
  const { list, templateId, digest } = template;
  const oldest = new Date(writer.pulledAt.getTime() - recheckDays * 86_400_000);
  // A status with a date in the future, caused by a wrong clock, is not fresh.
  const isFresh = before !== undefined && before.readAt > oldest && before.readAt <= writer.pulledAt;
  if (isFresh && before.digest === digest) return before;
  const sender = { key: list, parameter: senderKeyParameter, place: senderKeyIn };
  const { verdict, body } = await service.ask(brandTemplate(projectId, messenger, templateId, sender));
  if (verdict.kind === 'ok' && isTemplate(verdict.envelope, body))
    return { ...template, readAt: writer.pulledAt, ...(await writer.land(body, 1)) };
  failures.push(verdict.kind === 'ok' ? 'E5 answered without a template' : verdict.reason);
  // An unchanged template keeps its last known status, however old the status is.
  return before?.digest === digest ? before : undefined;
}
