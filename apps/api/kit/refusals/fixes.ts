import type { FailureCode } from "@svc/base/failure";

/** What to do about each error, in Markdown of one line. A new code does not compile without its line. */
export const FIXES = {
	validation_error: "Look into `details`: it names each field that is wrong, and why. Change these and send it again.",
	not_found:
		"Look at the id, and at who asks: what belongs to another App, or to another user than `X-Svc-User` names, is not found either.",
	workspace_unavailable: "Nothing can be stored here any more. Use another storage.",
	state_conflict: "Read the object again, then decide anew. What you know of it is no longer so.",
	bad_request:
		"Look at the method, the `Content-Type` and the form of the body. `message` says what could not be read.",
	invalid_code:
		"Ask for a new code. A code of a sign-in lasts some minutes, the code behind the redirect one minute, and each works once; that one is exchanged with a key of the App that `/connect` named (`svc whoami` shows whose a key is).",
	unauthorized:
		"Send `Authorization: Bearer <secret>` with a key that lives. `svc keys list` says which do; a rotated or revoked key does not come back.",
	forbidden: "Use a key with this permission, or a member of the team with a higher role.",
	media_locked: "Wait until an operator has decided. The image cannot be changed before.",
	media_blocked: "The image stays away, unless an operator takes the block back. Do not try again.",
	app_blocked: "Read and keep what there is; write to the operator of the service.",
	app_suspended: "Resume the App (`svc apps resume`), or write to the operator where it was blocked.",
	user_forbidden: "The user has left the App or is disabled. Let them sign in again before you select them.",
	rate_limited: "Wait as many seconds as `Retry-After` says, then send the same again. The SDK does so by itself.",
	quota_exceeded:
		"Delete images, or get a larger plan. The message says whose limit was reached: that of the App's own plan (`GET /v1/usage`), or the one that the App sets for its users, by their plan or without one.",
	idempotency_key_conflict: "Use a new key for each new request, and the old one only for the very same body.",
	idempotency_key_in_progress: "Wait as long as `Retry-After` says, then send the same with the same key.",
	idempotency_recovery_conflict: "Use a new key. Look first whether the image is there, so that there are not two.",
	upload_failed: "Send the same again. Under the same `Idempotency-Key` there is one image in the end.",
	fetch_failed: "Open the address from another network: it must be public, answer within the time and be a picture.",
	import_failed: "Send the same again. Nothing was kept.",
	media_failed: "The file is damaged or no picture that the service reads. Send another file.",
	server_error: "Send it again after a moment. If it stays, tell the operator the `X-Request-Id` of the answer.",
	update_failed: "Send the same again. Nothing was changed.",
	delete_failed: "Send the same again. Nothing was changed.",
	app_context_unavailable: "Send the same again after `Retry-After`.",
	create_outcome_ambiguous:
		"Send exactly the same again, with the same `Idempotency-Key`. The answer then says what became of it.",
} as const satisfies Record<FailureCode, string>;
