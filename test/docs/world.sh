#!/usr/bin/env bash
# The demo as the examples of the documentation need it: with the platform that it has, and a buyer of its own. Prints
# the demo's address when everything is there, and ends it with its own end. Needs a folder, and FRONTDESK_BINARY.
#
# In the folder: secret.txt, the platform's secret; buyer.pem, the buyer's key; my-bot, the data of the buyer's command.
set -euo pipefail
cd "$1"

exec 3< <(exec "$FRONTDESK_BINARY" demo --listen 127.0.0.1:0 --data "$1/demo" 2>&1)
demo=$!
trap 'kill $demo; wait $demo || true' EXIT
while read -r line <&3; do
	case $line in
	'Ask in a browser'*) address=${line##* } ;;
	'Ctrl-C ends.'*) break ;;
	esac
done
cat <&3 >/dev/null & # what it says later
frontdesk() { "$FRONTDESK_BINARY" "$@" --config demo/frontdesk.yaml >/dev/null; }
"$FRONTDESK_BINARY" keys agent --data my-bot --id my-bot --contact me@tidewater.example >my-bot.json
frontdesk ramp requester add agent.tidewater.example my-bot --key @my-bot.json
frontdesk ramp account open agent.tidewater.example/my-bot XTS
frontdesk ramp account credit agent.tidewater.example/my-bot 9 XTS
cp demo/platform-secret.txt secret.txt
cp my-bot/keys/agent-1.pem buyer.pem
echo "${address%/}"
wait $demo
