const a = 'x
y' as T