/** The pages that are not needed to read and write messages: one chunk, loaded when the first of them is opened. */
export { FirstRun } from './first-run.tsx';
export { Inspector } from './inspector.tsx';
export { ModelSetup } from './model-setup.tsx';
export { Settings } from './settings.tsx';
