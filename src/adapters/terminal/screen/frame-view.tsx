import { Box, Text as Line } from 'ink';
import { safeLine } from '../../../domain/base/safe-text.ts';
import type { Frame, Size, Span, Text } from '../../../ports/terminal.ts';

/** A frame as it fills the screen. Without colours what matters still differs: signs, words, and the marked line. */
export function FrameView({ frame, size, colour }: { frame: Frame; size: Size; colour: boolean }) {
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows}>
      <Lines lines={frame.head} colour={colour} />
      <Box flexDirection="column" flexGrow={1} overflow="hidden">
        {frame.body.map(({ text, isMarked }, at) => (
          <OneLine key={String(at)} text={text} isMarked={isMarked} colour={colour} />
        ))}
      </Box>
      <Lines lines={frame.foot} colour={colour} />
    </Box>
  );
}

function Lines({ lines, colour }: { lines: readonly Text[]; colour: boolean }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((text, at) => (
        <OneLine key={String(at)} text={text} isMarked={false} colour={colour} />
      ))}
    </Box>
  );
}

function OneLine({ text, isMarked, colour }: { text: Text; isMarked: boolean; colour: boolean }) {
  const parts = (typeof text === 'string' ? [text] : text).map((part) =>
    typeof part === 'string' ? { text: part, tone: null } : part,
  );
  // an empty text would have no height
  const shown = parts.some((part) => part.text !== '') ? parts : [{ text: ' ', tone: null }];
  return (
    <Box flexShrink={0} height={1}>
      <Line wrap="truncate-end" inverse={isMarked}>
        {shown.map((part, at) => (
          <Line key={String(at)} {...(part.tone === null ? {} : styleOf(part.tone, colour))}>
            {safeLine(part.text)}
          </Line>
        ))}
      </Line>
    </Box>
  );
}

type Style = { readonly bold?: boolean; readonly dimColor?: boolean; readonly color?: string };

/** Colours from the sixteen that every terminal has. */
const colours: Readonly<Record<Span['tone'], Style>> = {
  good: { color: 'green' },
  bad: { color: 'red' },
  waiting: { color: 'yellow' },
  dim: { dimColor: true },
  strong: { bold: true },
};

const styleOf = (tone: Span['tone'], colour: boolean): Style => (colour || tone === 'strong' ? colours[tone] : {});
