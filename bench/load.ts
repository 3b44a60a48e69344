/**
 * How fast landed pages become tables, beside DuckDB's own limit: `npm run build`, `npx tsc -p tsconfig.tools.json`,
 * `node build/bench/load.js [pages] [rounds]`. Each round reads the pages (counting records, as DuckDB does it alone)
 * and loads them; compare the two within a round, since whatever else runs on the machine slows both.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { windowOf } from '../src/calendar.js';
import { Warehouse } from '../src/warehouse/warehouse.js';

const PAGES = Number(process.argv[2] ?? 300);
const ROUNDS = Number(process.argv[3] ?? 3);
const RECORDS = 1000;
const DAY = '2026-11-20';

/** Hex digits that look like chance and are the same every time. */
const hex = (seed: string, length: number): string =>
  createHash('sha256').update(seed).digest('hex').slice(0, length);

const messages: Record<string, (seed: string, i: number) => unknown> = {
  'push-notification': (_, i) => ({
    title: '(광고) 주말 특가 안내',
    body: `${i}님, 지금 장바구니에 담은 상품이 할인 중이에요!`,
    link: `app://home/sale?x=${i}`,
  }),
  'chatapp-alimtalk': (seed, i) => ({
    plusFriendId: '@dawn',
    senderKey: hex('sender', 40),
    recipientNo: `010${String(10_000_000 + (i % 90_000_000))}`,
    templateCode: `ORD_00${i % 9}`,
    content: `주문하신 상품이 발송되었습니다. 송장번호 ${hex(seed, 10)} 배송 조회는 아래 버튼을 눌러 주세요.`,
    templateExtra: null,
    buttons: [
      {
        ordering: 1,
        type: 'WL',
        name: '배송조회',
        linkMo: `https://m.example.com/o/${i}`,
        linkPc: `https://example.com/o/${i}`,
        schemeIos: null,
        schemeAndroid: null,
      },
    ],
  }),
  email: (seed, i) => ({
    title: `뉴스레터 ${i % 100}`,
    body: {
      html: `<html><body><h1>안녕하세요</h1><p>${'이번 주 소식을 전해 드립니다. '.repeat(8)}${seed}</p></body></html>`,
      text: `안녕하세요 이번 주 소식을 전해 드립니다. ${seed}`,
    },
  }),
  'text-message': (seed, i) => ({
    requestId: hex(seed, 24),
    requestDate: '2026-11-20 10:00:00',
    templateId: 't1',
    title: '안내',
    body: `[도운몰] 인증번호 ${i}`,
    sendNo: '15881234',
    recipientNo: `010${String(10_000_000 + (i % 90_000_000))}`,
    messageType: 'SMS',
    countryCode: '82',
    adYn: 'N',
    attachFileList: [],
  }),
};
const channels = Object.keys(messages);
const names = ['send_success', 'push_click', 'push_delivered'];
const midnight = windowOf(DAY).start.getTime();

function record(i: number): unknown {
  const seed = `record ${i}`;
  const channel = channels[i % channels.length] ?? '';
  return {
    id: hex(seed, 24),
    user_id: hex(`${seed} user`, 24),
    service_user_id: `u${i % 1_000_000}`,
    device_id: hex(`${seed} device`, 24),
    service_device_id: hex(`${seed} service`, 36),
    channel,
    event_name: names[i % names.length],
    failure_reason: null,
    resource_title: '11월 재구매 유도 캠페인 A',
    resource_type: 'campaign',
    campaign_id: hex(`campaign ${i % 50}`, 24),
    experiment_group_name: null,
    user_journey_id: null,
    user_journey_node_id: null,
    time: String((midnight + (i % 86_400) * 1000) * 1000 + (i % 1000)),
    message_data: messages[channel]?.(seed, i),
    channel_metadata: { channel_subtype: null, brand_message_target: null },
  };
}

interface Timing {
  readonly wall: number;
  /** Processor seconds of this process: other programs count less in it than in the wall clock. */
  readonly processor: number;
}

async function timed(work: () => Promise<unknown>): Promise<Timing> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - began) / 1000, processor: (user + system) / 1e6 };
}

async function readAlone(files: readonly string[]): Promise<Timing> {
  const instance = await DuckDBInstance.create(':memory:', { preserve_insertion_order: 'false' });
  const connection = await instance.connect();
  const list = files.map((file) => `'${file}'`).join(',');
  const timing = await timed(() =>
    connection.run(
      `select sum(len(data)) from read_json([${list}], format = 'unstructured', records = true,
       columns = {data: 'MAP(VARCHAR, VARCHAR)[]'})`,
    ),
  );
  connection.closeSync();
  instance.closeSync();
  return timing;
}

async function load(folder: string, files: readonly string[]): Promise<Timing> {
  const path = join(folder, 'working.duckdb');
  rmSync(path, { force: true });
  const timing = await timed(async () => {
    const warehouse = await Warehouse.open({
      path,
      tempDirectory: join(folder, 'tmp'),
      brand: 'service',
      messenger: 'chatapp',
      privacy: { recipients: 'hash', key: Buffer.alloc(32, 1) },
      effects: { now: () => new Date(), reach: () => undefined },
    });
    await warehouse.load({
      stream: 'events',
      id: 'bench',
      day: DAY,
      window: windowOf(DAY),
      exportId: 'bench',
      pulledAt: new Date(),
      files,
      records: files.length * RECORDS,
    });
    await warehouse.close();
  });
  console.log(`  file of ${Math.round(statSync(path).size / 1e6)} MB`);
  return timing;
}

const folder = mkdtempSync(join(tmpdir(), 'dawnload-load-'));
let peak = 0;
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
try {
  let bytes = 0;
  const files = Array.from({ length: PAGES }, (_, page) => {
    const data = Array.from({ length: RECORDS }, (_, i) => record(page * RECORDS + i));
    const body = JSON.stringify({ status: 'success', data, total_page_count: PAGES });
    bytes += Buffer.byteLength(body);
    const file = join(folder, `page-${String(page).padStart(5, '0')}.json.gz`);
    writeFileSync(file, gzipSync(body, { level: 1 }));
    return file;
  });
  const rows = PAGES * RECORDS;
  console.log(`${rows} records on ${PAGES} pages, ${Math.round(bytes / 1e6)} MB of JSON`);
  const rate = ({ wall, processor }: Timing): string =>
    `${Math.round(rows / wall / 1000)} k rows/s, ${processor.toFixed(1)} s of processor`;
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const read = await readAlone(files);
    peak = 0;
    const loaded = await load(folder, files);
    ratios.push(loaded.processor / read.processor);
    console.log(
      `  round ${round}: read alone ${rate(read)}; loaded ${rate(loaded)}, peak ${Math.round(peak / 1e6)} MB`,
    );
  }
  ratios.sort((a, b) => a - b);
  const median = ratios[Math.floor(ratios.length / 2)] ?? 0;
  console.log(`median: loading takes ${median.toFixed(1)} times the processor time of reading`);
} finally {
  clearInterval(watch);
  rmSync(folder, { recursive: true, force: true });
}
