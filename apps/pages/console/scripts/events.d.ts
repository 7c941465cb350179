/** What the console's scripts say to each other, on `document`. */
interface DocumentEventMap {
	/** Another screen is shown: what a script had prepared in the last one is gone. */
	shown: Event;
	/**
	 * Somebody is to be led to an address of the console; with `again` the screen that is shown is shown as it is by now, unless
	 * somebody is in the middle of something. Cancelable: where nobody cancels it, the browser goes there itself.
	 */
	go: CustomEvent<{ readonly address: string; readonly again?: boolean }>;
	/** To be read out. The text comes from the page. */
	say: CustomEvent<{ readonly text: string }>;
}
