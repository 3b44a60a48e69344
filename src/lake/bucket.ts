/** Asks a bucket whether it keeps what is deleted: versioning and object lock. */
import { createHash, createHmac } from 'node:crypto';
import { request } from 'undici';
import type { LakeConfig } from '../config/lake.js';
import { messageOf } from '../errors.js';

/** A clause that says what the bucket of a folder keeps, or why that is not known. */
export async function bucketKeeps(folder: string | undefined, lake: LakeConfig): Promise<string> {
  const [, bucket] = /^s3a?:\/\/([^/]+)\//.exec(folder ?? '') ?? [];
  if (bucket === undefined)
    return `${folder ?? 'its storage'} is not an S3 bucket, so versions and locks of files are not known`;
  try {
    const versioning = await ask(bucket, 'versioning', lake);
    const lock = await ask(bucket, 'object-lock', lake);
    const versions = /<Status>(\w+)<\/Status>/.exec(versioning)?.[1];
    return [
      `bucket ${bucket}`,
      versions === undefined
        ? 'has no versioning'
        : `has versioning ${versions.toLowerCase()}, so earlier versions of deleted files stay until a lifecycle rule removes them`,
      lock.includes('<ObjectLockEnabled>Enabled')
        ? `and object lock (${/<Mode>(\w+)</.exec(lock)?.[1]?.toLowerCase() ?? 'without a default'}), so locked files cannot be deleted before their time`
        : 'and no object lock',
    ].join(' ');
  } catch (error) {
    return `whether bucket ${bucket} keeps versions or locks files could not be looked up (${messageOf(error)})`;
  }
}

/** Sends a GET request for a property of the bucket, signed with AWS Signature Version 4; returns the XML. */
async function ask(
  bucket: string,
  property: string,
  { storage, secrets }: LakeConfig,
  // The storage compares it with its own clock, so a rehearsal's clock does not serve.
  now = () => new Date(),
): Promise<string> {
  const [id, secret] = [secrets.get('accessKey'), secrets.get('secretKey')];
  if (id === undefined || secret === undefined) throw new Error('DAWNLOAD_LAKE_ACCESS_KEY_ID is not set');
  const region = storage.region ?? 'us-east-1';
  const url = new URL(storage.endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (storage.pathStyle) url.pathname = `/${bucket}`;
  else url.host = `${bucket}.${url.host}`;
  url.search = `${property}=`;
  const at = now()
    .toISOString()
    .replace(/[-:]|\.\d+/g, '');
  const token = secrets.get('sessionToken');
  const headers = {
    host: url.host,
    'x-amz-content-sha256': sha256(''),
    'x-amz-date': at,
    ...(token === undefined ? {} : { 'x-amz-security-token': token }),
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ['GET', url.pathname, `${property}=`, lines.join(''), names, sha256('')].join('\n');
  const scope = `${at.slice(0, 8)}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce((before: string | Buffer, part) => hmac(before, part), `AWS4${secret}`);
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  const answer = await request(url, {
    headers: { ...headers, authorization },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const text = await answer.body.text();
  // The service answers so where no lock was ever configured.
  if (answer.statusCode === 200 || text.includes('ObjectLockConfigurationNotFoundError')) return text;
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? `status ${answer.statusCode}`;
  throw new Error(`the storage answers ${code}`);
}

const TIMEOUT_MS = 20_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
