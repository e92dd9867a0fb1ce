/** Which action a key press stands for. Pure, so that the whole map can be tested without a browser. */
export type Action = 'search' | 'new_session' | 'toggle_sidebar' | 'stop' | 'escape' | 'previous_request' | 'next_request' | 'newest' | 'next_region' | 'previous_region' | 'help' | 'allow_once' | 'deny';

export interface Press {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  isComposing: boolean;
  keyCode: number;
}
/** `inText`: in a field with text in it, where Alt Backspace takes away a word. */
export interface Where { inField: boolean; inThread: boolean; inText?: boolean }

/** With Alt held, keys are matched by their place, because macOS types accents there. */
export function actionOf(e: Press, where: Where): Action | null {
  if (composing(e)) return null;
  const command = (e.ctrlKey || e.metaKey) && !e.altKey;
  if (command && !e.shiftKey) {
    switch (e.key.toLowerCase()) {
      case 'k': return 'search';
      case 'b': return 'toggle_sidebar';
      case '.': return 'stop';
      default: return null;
    }
  }
  if (e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
    switch (e.code) {
      case 'KeyN': return 'new_session';
      case 'ArrowUp': return 'previous_request';
      case 'ArrowDown': return 'next_request';
      case 'Enter': case 'NumpadEnter': return 'allow_once';
      case 'Backspace': return where.inText ? null : 'deny';
      default: return null;
    }
  }
  if (e.ctrlKey || e.metaKey || e.altKey) return null;
  if (e.key === 'Escape') return 'escape';
  if (e.key === 'F6') return e.shiftKey ? 'previous_region' : 'next_region';
  if (e.key === 'End' && where.inThread && !where.inField) return 'newest';
  if (e.key === '?' && !where.inField) return 'help';
  return null;
}

/** True while an input method is at work: its Enter chooses a word and never sends. */
export const composing = (e: Pick<Press, 'isComposing' | 'keyCode'>): boolean => e.isComposing || e.keyCode === 229;

export type ComposerAction = 'send' | 'steer' | 'newline' | 'edit_last';

export function composerAction(e: Press, sendKey: 'enter' | 'ctrl_enter', empty: boolean, busy: boolean): ComposerAction | null {
  if (composing(e)) return null;
  if (e.key === 'ArrowUp' && empty && !e.ctrlKey && !e.metaKey && !e.altKey && !e.shiftKey) return 'edit_last';
  if (e.key !== 'Enter' || e.altKey) return null;
  const command = e.ctrlKey || e.metaKey;
  if (e.shiftKey && !command) return 'newline';
  if (sendKey === 'enter') return command && busy ? 'steer' : 'send';
  if (!command) return 'newline';
  return e.shiftKey && busy ? 'steer' : 'send';
}
