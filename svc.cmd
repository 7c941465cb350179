@echo off
rem Svc from this checkout: "svc start" is the service, "svc whoami" and the like are its commands. Needs Node.js, no more.
setlocal
set "SVC_COMMAND=%~f0"
if /i "%CD%\"=="%~dp0" set "SVC_COMMAND=.\svc"
node "%~dp0svc.mjs" %*
exit /b %ERRORLEVEL%
