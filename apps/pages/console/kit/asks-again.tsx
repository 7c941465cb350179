/** In the head of a page that is about to change: where no script runs the browser asks again by itself. */
export const ASKS_AGAIN = (
	<noscript>
		<meta httpEquiv="refresh" content="2" />
	</noscript>
);

/** On such a screen: `scripts/live.js` shows it again and again. */
export const POLLED = <span hidden data-live="poll" />;
