/* Loaded into a service that is to meet errors which no code catches: at the first signal a promise, then an exception. */

let signals = 0;
process.on("SIGUSR2", () => {
	signals += 1;
	if (signals === 1) void Promise.reject(new Error("a promise that nobody has"));
	else throw new TypeError("a callback left in the middle");
});
