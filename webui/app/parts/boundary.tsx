/** An error in one region leaves the others standing, and says so in its place. */
import { Component, type ComponentChildren } from 'preact';
import { t } from '../i18n/index.ts';

interface Props { children: ComponentChildren; raw?: string }

export class Boundary extends Component<Props, { error?: Error }> {
  override state: { error?: Error } = {};

  static override getDerivedStateFromError(error: Error) { return { error }; }

  override componentDidCatch(error: Error): void { console.error(error); }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <div class="note err" role="alert"><p>{t.boundary}</p>{this.props.raw && <pre tabIndex={0}>{this.props.raw}</pre>}<button type="button" class="line" onClick={() => location.reload()}>{t.reload}</button></div>;
  }
}
