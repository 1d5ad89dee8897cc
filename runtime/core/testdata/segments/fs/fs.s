// This file is empty: functions without bodies are only accepted in packages with assembly.
