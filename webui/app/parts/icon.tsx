/** One symbol of the sprite. Icons never stand alone: the control around them has a name. */
export type IconName = 'plus' | 'search' | 'settings' | 'menu' | 'close' | 'more' | 'copy' | 'chevron' | 'back' | 'keys';

export function Icon({ name }: { name: IconName }) {
  return <svg class={`icon icon-${name}`} aria-hidden="true"><use href={`/static/icons.svg#${name}`} /></svg>;
}
