/** What commands do that stand in no group: help names them all, and loads none of them for that. */
export const SUMMARIES = {
	login: "Sign in by e-mail code, or store an App's key",
	logout: "End the session in use and forget it",
	whoami: "Show the key in use and what it reaches, and who is signed in",
	listen: "Send an App's events to an address on this machine, signed as webhooks are",
	mcp: "Give the tools of an App's images to an agent, over standard input and output",
	migrate: "Bring a collection of images from another place",
	labels: "List the labels of an App's own images",
	tui: "Open the dashboard in this terminal",
	serve: "Start the service itself, here",
	completion: "Print a shell's completion of svc",
	api: "Make any call of the REST API",
	version: "Print the version",
} as const;
