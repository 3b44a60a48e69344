/** The help texts in Korean of the commands for analysts and marketers. Help of the other commands is in English. */
import type { Command, Help } from 'commander';

/** A description, and the descriptions of its options by their long flag. */
interface KoreanHelp {
  readonly about: string;
  readonly options: Readonly<Record<string, string>>;
}

const JSON_OPTION = 'JSON으로 출력(프로그램용)';

const COMMANDS: Readonly<Record<string, KoreanHelp>> = {
  status: {
    about: '날짜·데이터 종류별 적재 현황, 최신성, 비용을 표시합니다',
    options: { '--format': '출력 형식', '--json': JSON_OPTION },
  },
  query: {
    about: '내장 질문, 직접 만든 질문 또는 SQL을 게시된 파일에서 실행합니다',
    options: {
      '--sql': '질문 이름 대신 SQL',
      '--file': '질문 이름 대신 SQL 파일',
      '--param': '질문의 파라미터. 여러 번 쓸 수 있음',
      '--list': '질문 목록(이름 없이 `dawnload query`를 실행해도 같음)',
      '--new': 'SQL을 `queries` 폴더에 이 이름으로 저장',
      '--format': '결과 형식',
      '--lang': '표·CSV·엑셀 파일의 제목 언어',
      '--bom': 'CSV 앞에 엑셀용 BOM을 추가. --lang ko로 파일에 저장하면 기본값',
      '--no-bom': 'BOM을 추가하지 않음',
      '--output': '화면 대신 파일에 저장',
      '--help': '명령 또는 질문의 도움말',
    },
  },
  report: {
    about: '게시된 데이터로 리포트(HTML 페이지 1개)를 만듭니다',
    options: { '--lang': '페이지 언어', '--output': '저장할 파일(기본값: 데이터 폴더의 report.html)' },
  },
  explore: {
    about: '이 컴퓨터의 브라우저에서 질문·차트·SQL을 엽니다',
    options: {
      '--port': '포트. 0이면 비어 있는 포트를 사용',
      '--open': '기본 브라우저에서 페이지를 엶',
      '--host': '다른 컴퓨터에서도 접속 허용. DAWNLOAD_EXPLORE_PASSWORD 필요',
      '--seconds': '질문 하나의 제한 시간(초)',
      '--lang': '페이지 언어(기본값: 브라우저 언어 또는 `report` 설정)',
    },
  },
};

const TITLES: Readonly<Record<string, string>> = {
  'Usage:': '사용법:',
  'Options:': '옵션:',
  'Examples:': '예시:',
  'display help for command': '도움말',
  'The options of all commands: `dawnload --help`.': '모든 명령의 공통 옵션: `dawnload --help`(영어)',
  '# searches': '# 질문 검색',
  '# a query of your own': '# 직접 만든 질문 저장',
};

/** True if a command line asks for Korean: `--lang ko` or `--lang=ko`. */
export const asksKorean = (argv: readonly string[]): boolean =>
  argv.some((word, i) => word === '--lang=ko' || (word === '--lang' && argv[i + 1] === 'ko'));

/** A text of the help in Korean, if the command has Korean help. Comments in examples are translated too. */
export function inKorean(command: Command, text: string): string {
  if (COMMANDS[command.name()] === undefined) return text;
  return Object.entries(TITLES).reduce((all, [english, korean]) => all.replace(english, korean), text);
}

/** How commander writes the help of a command in Korean. */
export function koreanHelp(command: Command): Partial<Help> {
  const words = COMMANDS[command.name()];
  if (words === undefined) return {};
  return {
    styleTitle: (title) => inKorean(command, title),
    commandDescription: () => words.about,
    optionDescription: ({ long, argChoices, defaultValue, description }) => {
      const said = words.options[long ?? ''] ?? inKorean(command, description);
      const more = [
        ...(argChoices === undefined ? [] : [`선택: ${argChoices.join(', ')}`]),
        ...(defaultValue === undefined || typeof defaultValue === 'boolean'
          ? []
          : [`기본값: ${String(defaultValue)}`]),
      ];
      return more.length === 0 ? said : `${said} (${more.join('; ')})`;
    },
  };
}
