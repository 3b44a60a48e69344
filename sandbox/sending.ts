/** E7, E8 and E9: friendtalk, text messages and alimtalk, sent immediately. */
import { z } from 'zod';
import { dayOf } from '../src/ground/calendar.js';
import { type Reply, jsonAnswer } from './answer.js';
import { type Endpoint, endpoint } from './endpoint.js';
import { refuse } from './family.js';
import type { Settings } from './options.js';
import { type AlimtalkTemplates, CHANNEL_IDS } from './templates/endpoints.js';
import { MULTI_BODY_BYTES, readBody } from './users.js';
import type { JsonObject } from './world/messages/json.js';
import { SENDER } from './world/messages/chatapp.js';
import { directStream } from './world/stream.js';
import type { Writes } from './writes.js';

/** The last day of E7 in Korea. */
const FRIENDTALK_UNTIL = '2026-05-31';

/** Maximum recipients of an alimtalk. */
const ALIMTALK_RECIPIENTS = 1000;

/** Maximum characters of the grouping key. */
const GROUPING_KEY_LENGTH = 100;

/** Words that the law requires in advertising and its opt-out notice. */
const AD = '(광고)';

const text = z.string().min(1);
const texts = z.record(z.string(), z.string());

const Friendtalk = z.looseObject({
  projectId: text,
  messageType: z.enum(['text', 'image', 'wide']),
  isAd: z.boolean(),
  recipientList: z.array(z.looseObject({ recipientNo: text, content: z.looseObject({ text }) })).min(1),
  resendContent: z.looseObject({ body: text }).optional(),
});

const Text = z.looseObject({
  projectId: text,
  type: z.enum(['sms', 'lms', 'mms']),
  body: text,
  recipientList: z.array(z.looseObject({ recipientNo: text })).min(1),
});

const Alimtalk = z.looseObject({
  projectId: text,
  channelId: text,
  templateId: text,
  recipientList: z
    .array(
      z.looseObject({
        recipientNo: text,
        templateParameter: texts.optional(),
        failoverTextMessageTemplateParameter: z.record(z.string(), z.json()).optional(),
      }),
    )
    .min(1)
    .max(ALIMTALK_RECIPIENTS),
});

const NOT_REGISTERED = 'Sender info is not registered.';
const DONE = { success: true };

export function sendingEndpoints(
  settings: Settings,
  writes: Writes,
  alimtalkTemplates: AlimtalkTemplates,
): Endpoint[] {
  const { fieldNames, messenger, textSender, unsubscribeNumbers } = settings;
  function friendtalk(body: unknown): Reply {
    if (dayOf(settings.now()) > FRIENDTALK_UNTIL) {
      const message = `Friendtalk is no longer supported: its support ended on ${FRIENDTALK_UNTIL}.`;
      return refuse('sending', 'gone', message);
    }
    const read = readBody(settings, 'sending', Friendtalk, [body], 1);
    if (!Array.isArray(read)) return read;
    const [{ messageType, isAd, recipientList, resendContent }] = read;
    if (!settings.chatappSending) return invalid(NOT_REGISTERED);
    const [unsubscribeNo] = unsubscribeNumbers;
    if (isAd && resendContent !== undefined) {
      if (unsubscribeNo === undefined) return invalid('An ad SMS needs a registered 080 number');
      if (!resendContent.body.startsWith(AD)) return invalid(`resendContent.body must begin with ${AD}`);
    }
    /** The text sent instead. An ad must name its 080 number, or no text is sent. */
    const failoverOf = (own: string): string | null => {
      if (textSender === null || (isAd && unsubscribeNo === undefined)) return null;
      if (resendContent !== undefined) return resendContent.body;
      return isAd ? `${AD} ${own}\n무료수신거부 ${unsubscribeNo}` : own;
    };
    const copy = { title: '', body: recipientList[0]?.content.text ?? '', path: '' };
    const rest = {
      endpoint: 'E7',
      stream: directStream('friendtalk', messageType, copy),
      isAd,
      fault: null,
    } as const;
    const messages = recipientList.map(({ recipientNo, content }) => ({
      ...rest,
      userId: writes.userAt(recipientNo),
      recipientNo,
      content: { ...SENDER, recipientNo, content: content.text, buttons: [], isAd },
      failoverText: failoverOf(content.text),
    }));
    writes.send(messages);
    return jsonAnswer(DONE);
  }

  function textMessage(body: unknown): Reply {
    const read = readBody(settings, 'sending', Text, [body], 1);
    if (!Array.isArray(read)) return read;
    const [asked] = read;
    if (textSender === null) return invalid(NOT_REGISTERED);
    const { type, recipientList } = asked;
    const title = z.string().default('').safeParse(asked[fieldNames.textTitle]);
    const files = z.array(text).default([]).safeParse(asked[fieldNames.textAttachments]);
    if (!title.success) return invalid(`${fieldNames.textTitle} must be a text`);
    if (!files.success) return invalid(`${fieldNames.textAttachments} must be a list of texts`);
    if (type === 'sms' && title.data !== '') return invalid('An SMS has no title');
    if (type !== 'mms' && files.data.length > 0) return invalid('Only an MMS has attachments');
    const copy = { title: title.data, body: asked.body, path: '' };
    const isAd = asked.body.startsWith(AD) || title.data.startsWith(AD);
    const rest = { endpoint: 'E8', failoverText: null, isAd, fault: null } as const;
    const stream = directStream('text-message', type.toUpperCase(), copy);
    const messages = recipientList.map(({ recipientNo }) => ({
      ...rest,
      stream,
      userId: writes.userAt(recipientNo),
      recipientNo,
      content: {
        templateId: null,
        title: type === 'sms' ? null : title.data,
        body: asked.body,
        sendNo: textSender,
        recipientNo,
        adYn: isAd ? 'Y' : 'N',
        attachFileList: files.data.map((fileId) => ({
          fileId,
          fileName: `${fileId}.jpg`,
          filePath: `/mms/${fileId}.jpg`,
          saveFileName: `${fileId}.jpg`,
          uploadType: 'API',
        })),
      },
    }));
    writes.send(messages);
    return jsonAnswer(DONE);
  }

  function alimtalk(body: unknown): Reply {
    const read = readBody(settings, 'sending', Alimtalk, [body], 1);
    if (!Array.isArray(read)) return read;
    const [asked] = read;
    const { channelId, templateId, recipientList } = asked;
    const sender = text.optional().safeParse(asked[fieldNames.failoverSender]);
    const key = z.string().max(GROUPING_KEY_LENGTH).optional().safeParse(asked[fieldNames.groupingKey]);
    if (!sender.success) return invalid(`${fieldNames.failoverSender} must be a text`);
    if (!key.success)
      return invalid(`${fieldNames.groupingKey} has at most ${GROUPING_KEY_LENGTH} characters`);
    if (!settings.chatappSending || !CHANNEL_IDS.includes(channelId)) return invalid(NOT_REGISTERED);
    const template = alimtalkTemplates.all().find((one) => one.code === templateId);
    if (template?.channelId !== channelId) {
      return refuse('sending', 'not-found', 'The template is not registered.');
    }
    if (template.status !== 'APR') return invalid('The template is not approved.');
    // Only the legacy platform reads the sender; others have their own failover.
    const reads = settings.legacyPlatform;
    if (reads && sender.data !== undefined && sender.data !== textSender) return invalid(NOT_REGISTERED);
    const hasFailover = !reads || sender.data !== undefined;
    const stream = directStream('alimtalk', null, { title: template.name, body: template.content, path: '' });
    const messages = recipientList.map(({ recipientNo, templateParameter = {}, ...more }) => {
      const content = filled(template.content, templateParameter);
      const parameter = { ...templateParameter, ...more.failoverTextMessageTemplateParameter };
      const { code, senderKey, buttons } = template;
      return {
        endpoint: 'E9' as const,
        stream,
        userId: writes.userAt(recipientNo),
        recipientNo,
        content: {
          ...SENDER,
          senderKey,
          recipientNo,
          templateCode: code,
          content,
          templateExtra: null,
          buttons,
        },
        failoverText: hasFailover ? filled(template.content, parameter) : null,
        isAd: false,
        // With a missing value, the text would differ from the approved one.
        fault: content.includes('#{') ? '템플릿과 일치하지 않음' : null,
      };
    });
    writes.send(messages);
    return jsonAnswer(DONE);
  }

  const rest = { projectInBody: true, bodyBytes: MULTI_BODY_BYTES } as const;
  return [
    endpoint('E7', 'sending', `POST /messages/${messenger}-friendtalk`, ({ body }) => friendtalk(body), rest),
    endpoint('E8', 'sending', 'POST /messages/text-message', ({ body }) => textMessage(body), rest),
    endpoint('E9', 'sending', `POST /messages/${messenger}-alimtalk`, ({ body }) => alimtalk(body), rest),
  ];
}

function invalid(message: string): Reply {
  return refuse('sending', 'invalid', message);
}

/** A template with the values of its variables; those without one stay as they are. */
function filled(template: string, values: JsonObject): string {
  return template.replace(/#\{([^}]+)\}/g, (mark, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === 'string' ? value : mark;
  });
}
