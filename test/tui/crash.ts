/* Preloaded by the tests: fails in the way that the environment says, once the dashboard is on the screen. */

const { TUI_CRASH: kind } = process.env;
const fail = () => {
	if (kind === "rejection") void Promise.reject(new Error("a rejection of the test"));
	else throw new Error("an exception of the test");
};

process.on("SIGUSR2", () => setTimeout(fail, 0));
