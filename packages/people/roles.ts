import { ROLES, type Role } from "@svc/base/enumerations";

export function isAtLeast(role: Role, needed: Role): boolean {
	return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
