/** A native modal dialog that opens with its view, closes by Escape or a click beside it, and gives the focus back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Icon } from './icon.tsx';

export function Dialog({ title, onClose, children, class: cls = '' }: { title: string; onClose(): void; children: ComponentChildren; class?: string }) {
  const node = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    node.current?.showModal();
    node.current?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => { if (opener instanceof HTMLElement && opener.isConnected) opener.focus(); };
  }, []);
  return (
    <dialog ref={node} class={cls} aria-label={title} onClose={onClose} onClick={(e) => { if (e.target === node.current) node.current?.close(); }}>
      <div class="dialog-box">
        <div class="dialog-head"><h2>{title}</h2><button type="button" class="icon-button" aria-label={t.close} onClick={() => node.current?.close()}><Icon name="close" /></button></div>
        {children}
      </div>
    </dialog>
  );
}
