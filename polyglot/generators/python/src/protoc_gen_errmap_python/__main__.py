from protoc_gen_errmap_python import main

main()
