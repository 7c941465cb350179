/**
 * What the environment of a child program needs besides its own variables. An executable that carries the service is the runtime of its programs
 * only where this tells it so; else it would read their paths as commands. For an ordinary runtime it means nothing.
 */
export const RUNTIME_ENVIRONMENT = { BUN_BE_BUN: "1" };
