let x　: T = '🙂' as 𝒳; f((a)
: Ü => 変数 as 𝒳)
